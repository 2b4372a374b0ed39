// Makes the view of a change one page that loads nothing: the style and the script stand in it.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const SOURCE = 'src/change-view';

/** As esbuild's result of `options`; no text of ours may end the element that it stands in. */
export async function writeChangeView(file, options) {
  const built = await build({
    ...options,
    entryPoints: [`${SOURCE}/view.ts`, `${SOURCE}/view.css`],
    outdir: 'dist',
    write: false,
  });
  const textOf = (end) => built.outputFiles.find(({ path }) => path.endsWith(end)).text.trimEnd();
  const page = readFileSync(`${SOURCE}/index.html`, 'utf8')
    .replace('<style></style>', () => `<style>${inside('style', textOf('.css'))}</style>`)
    .replace(/(<script type="module">)(?=<\/script>)/, (tag) => `${tag}${inside('script', textOf('.js'))}`);
  writeFileSync(file, page);
  return built;
}

function inside(element, text) {
  if (text.toLowerCase().includes(`</${element}`)) throw new Error(`a </${element}> stands in the view`);
  return text;
}
