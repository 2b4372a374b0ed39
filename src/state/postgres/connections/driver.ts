/** The client library, in a bundle of its own: only those who name a database load it. */
export { Client } from 'pg';
