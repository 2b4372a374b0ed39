/** Preloaded into a server: tells on SIGUSR2 how large V8's young space is, in bytes. */
const { getHeapSpaceStatistics } = require('node:v8');

process.on('SIGUSR2', () => {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  process.stderr.write(`young: ${young.space_size}\n`);
});
