/** The manifest of the MCPB bundle, which desktop clients install with a double click. */
import { AUTHOR, DIRECTORIES, homeOf, READ_ONLY, shortened, TITLE } from './settings.mjs';

const MANIFEST_VERSION = '0.3';
/** The tool that checks and packs bundles. It brings 55 packages, so it is fetched only when a bundle is made. */
export const MCPB = '@anthropic-ai/mcpb@2.1.2';
export const ICON = 'icon.png';

/** Of the npm package, what a bundle needs: not the library, its types and the man page. */
export function isInBundle(path) {
  return /^(?:dist\/(?!types\/|[^/]+\.mjs$)|LICENSE$|README\.md$|CHANGELOG\.md$|package\.json$)/.test(path);
}

export function manifestOf(manifest, tools) {
  const entry = manifest.bin.cofferdam;
  const home = homeOf(manifest);
  return {
    manifest_version: MANIFEST_VERSION,
    name: manifest.name,
    display_name: TITLE,
    version: manifest.version,
    description: manifest.description,
    long_description: longDescription(home),
    author: { name: AUTHOR, url: home },
    repository: { type: 'git', url: home },
    homepage: manifest.homepage,
    documentation: `${home}/blob/v${manifest.version}/docs/PACKAGES.md`,
    support: manifest.bugs,
    icon: ICON,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        // After `--`, so that the name of no directory can be taken for an option.
        args: [`\${__dirname}/${entry}`, '--', '${user_config.directories}'],
        env: { [READ_ONLY.variable]: '${user_config.read_only}' },
      },
    },
    tools: tools.map(({ name, description }) => ({ name, description: shortened(description) })),
    keywords: manifest.keywords,
    license: manifest.license,
    compatibility: {
      platforms: ['darwin', 'linux', 'win32'],
      runtimes: { node: manifest.engines.node },
    },
    user_config: {
      directories: { type: 'directory', ...DIRECTORIES, multiple: true, required: true },
      read_only: {
        type: 'boolean',
        title: READ_ONLY.title,
        description: READ_ONLY.description,
        required: false,
        default: false,
      },
    },
  };
}

function longDescription(home) {
  return [
    'Reads, searches, edits and patches files in the directories that you choose, and in no others.',
    'A journal keeps what was there before each change, so every change can be undone.',
    `Nothing is sent anywhere. See ${home} for all options.`,
  ].join(' ');
}
