/** A proxy to the database, in a process that can be stopped to cut the connection. argv: the database's port. */
import { connect, createServer } from 'node:net';

const behind = Number(process.argv[2]);

const server = createServer((client) => {
  const database = connect({ host: '127.0.0.1', port: behind });
  client.pipe(database).pipe(client);
  client.on('error', () => database.destroy());
  database.on('error', () => client.destroy());
  client.on('close', () => database.destroy());
  database.on('close', () => client.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as { port: number }).port}\n`);
});
