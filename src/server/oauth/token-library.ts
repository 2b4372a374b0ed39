/** What the program uses of the library for signed tokens: the build puts it into a file of its own. */
export { createRemoteJWKSet, errors, jwtVerify } from 'jose';
