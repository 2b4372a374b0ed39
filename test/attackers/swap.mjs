// The same attack without a compiler: swaps pairs of names by renaming, three steps a swap.
// usage: node swap.mjs MAX_PAUSE_MICROSECONDS NAME NAME [NAME NAME ...]
import { renameSync } from 'node:fs';

const [longest, ...names] = process.argv.slice(2);
let exchanges = 0;
let ending = false;
process.on('SIGTERM', () => {
  ending = true;
});
process.stdin.on('end', () => process.exit()).resume();
console.log('ready');

function swap(a, b) {
  const aside = `${a}.aside`;
  put(a, aside);
  put(b, a);
  put(aside, b);
  exchanges++;
}

/** For a moment the name is free: what was made there meanwhile is moved out of the way. */
function put(from, to) {
  try {
    renameSync(from, to);
  } catch {
    try {
      renameSync(to, `${to}.made-${exchanges}`);
      renameSync(from, to);
    } catch {
      // Something is being made or removed there at this very moment.
    }
  }
}

function pause() {
  if (Math.random() < 0.5) return;
  const until = performance.now() + (Math.random() * Number(longest)) / 1000;
  while (performance.now() < until);
}

function burst() {
  const until = performance.now() + 20;
  while (performance.now() < until) {
    for (let i = 0; i + 1 < names.length; i += 2) {
      swap(names[i], names[i + 1]);
      pause();
    }
  }
  if (!ending) {
    setImmediate(burst);
    return;
  }
  console.log(exchanges);
  process.exit();
}
burst();
