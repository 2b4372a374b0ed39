// Makes the view of a change: one page that loads nothing, with its style and its script inside.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const SOURCE = 'src/change-view';

/** Bundles with esbuild's `options`. Neither the style nor the script may end the element that holds it. */
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
  if (text.toLowerCase().includes(`</${element}`))
    throw new Error(`the ${element} of the view contains </${element}`);
  return text;
}
