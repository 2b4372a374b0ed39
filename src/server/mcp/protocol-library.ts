/** What the bundle takes from the protocol library: a file of its own, read only for clients that need it. */
export * from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';
