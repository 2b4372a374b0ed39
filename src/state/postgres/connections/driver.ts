/** The client library, in a bundle of its own: only a server with a database loads it. */
export { Client } from 'pg';
