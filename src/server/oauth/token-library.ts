/** The parts of the JWT library that the program uses. The build puts them into a file of their own. */
export { createRemoteJWKSet, errors, jwtVerify } from 'jose';
