/** The PostgreSQL client library, in a bundle of its own that only a server with a database loads. */
export { Client } from 'pg';
