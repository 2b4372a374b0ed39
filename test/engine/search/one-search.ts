/** A process that searches once and then has nothing left to do: `DIRECTORY WORKER REGEX`. */
import { Wall } from '../../../src/engine/confine/wall.ts';
import { Search } from '../../../src/engine/search/search.ts';

const [directory, workerFile, regex] = process.argv.slice(2) as [string, string, string];
const wall = new Wall([{ path: directory, writable: false }]);
const search = new Search({ workerFile, ripgrep: false });
void wall.at(directory, {}, async (place) => {
  const { matches, skippedUnreadable } = await search.grep(place, { regex, maxMatches: 100 });
  console.log(JSON.stringify({ matches, skippedUnreadable }));
});
