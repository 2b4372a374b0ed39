/** The entry of Docker's catalogue of MCP servers: `server.yaml`, and the tools as it lists them. */
import { DIRECTORIES, homeOf, READ_ONLY, shortened, TITLE } from './settings.mjs';

/** `commit` is what Docker builds the image from. */
export function catalogueEntry(manifest, commit) {
  const { name } = manifest;
  const home = homeOf(manifest);
  return {
    name,
    image: `mcp/${name}`,
    type: 'server',
    meta: { category: 'devops', tags: [name, 'filesystem', 'search'] },
    about: {
      title: TITLE,
      description: manifest.description,
      icon: `${home}/raw/v${manifest.version}/packaging/icon.png`,
    },
    source: { project: home, commit },
    run: {
      command: [`{{${name}.paths|volume-target|into}}`],
      volumes: [`{{${name}.paths|volume|into}}`],
      disableNetwork: true,
    },
    config: {
      description: DIRECTORIES.description,
      env: [{ name: READ_ONLY.variable, example: 'true', value: `{{${name}.read_only}}` }],
      parameters: {
        type: 'object',
        properties: {
          paths: { type: 'array', items: { type: 'string' }, default: ['/Users/local-test'] },
          read_only: { type: 'boolean', default: false, description: READ_ONLY.description },
        },
        required: ['paths'],
      },
    },
  };
}

/** Docker cannot start the server to ask it: without a directory it serves nothing. */
export function catalogueTools(tools) {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description: shortened(description),
    arguments: Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => ({
      name: argument,
      type: typeOf(schema),
      desc: schema.description ?? '',
    })),
  }));
}

function typeOf({ type, anyOf = [] }) {
  return [type ?? anyOf[0]?.type ?? 'string'].flat()[0];
}
