/** The protocol library as a bundle of its own, which the program loads only for clients that need it. */
export * from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';
