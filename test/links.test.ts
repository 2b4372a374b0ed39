/** Every link of the documentation leads somewhere, in the repository and in the package. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
/** How a page of the package links to what only the repository has. */
const OURS = /^https:\/\/github\.com\/cofferdam\/cofferdam\/(?:blob|tree|raw)\/main\//;
const PACKED = /^(?:docs\/(?!images\/)|CHANGELOG\.md$|README\.md$|LICENSE$|package\.json$)/;

interface Link {
  page: string;
  target: string;
  /** The path in the repository. */
  file: string;
  anchor: string;
  isRelative: boolean;
}

const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('test/'));
const links = pages.flatMap(linksIn);

function linksIn(page: string): Link[] {
  const prose = textOf(page).replace(/^```.*?^```/gms, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const own = target.replace(OURS, '/');
    if (/^[a-z]+:/.test(own)) return [];
    const [path = '', anchor = ''] = own.split('#');
    const isRelative = own === target;
    const file = isRelative && path === '' ? page : normalize(join(isRelative ? dirname(page) : '.', path));
    return [{ page, target, file, anchor, isRelative }];
  });
}

function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** The anchors that GitHub makes from headings. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the links of the documentation', () => {
  it('lead to files that exist', () => {
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('lead to headings that exist', () => {
    const toHeadings = links.filter(({ file, anchor }) => anchor !== '' && file.endsWith('.md'));
    expect(toHeadings.filter(({ file, anchor }) => !anchorsOf(file).includes(anchor))).toEqual([]);
  });

  // npm completes the links of the README.
  it('use the whole address, on a page of the package, for what the package does not hold', () => {
    const packed = links.filter(({ page, isRelative }) => page.startsWith('docs/') && isRelative);
    expect(packed.filter(({ file }) => !PACKED.test(file))).toEqual([]);
  });
});
