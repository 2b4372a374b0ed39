/** `server.json`: how the MCP registry lists the server and clients install it from there. */
import { DIRECTORIES, homeOf, READ_ONLY, TITLE } from './settings.mjs';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** `bundle` is the MCPB file of the release: its name and its SHA-256. */
export function serverJson(manifest, bundle) {
  const home = homeOf(manifest);
  const { name, version } = manifest;
  return {
    $schema: SCHEMA,
    name: manifest.mcpName,
    title: TITLE,
    description: manifest.description,
    version,
    repository: { url: home, source: 'github' },
    websiteUrl: manifest.homepage,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [directories()],
        environmentVariables: [readOnly()],
      },
      {
        registryType: 'oci',
        identifier: `${imageOf(manifest)}:v${version}`,
        runtimeHint: 'docker',
        transport: { type: 'stdio' },
        runtimeArguments: [
          {
            type: 'named',
            name: '--mount',
            description: 'The directory that the server may use. Nothing outside of it can be reached.',
            value: 'type=bind,source={directory},target=/workspace',
            isRequired: true,
            variables: {
              directory: { description: 'A directory of this machine', format: 'filepath', isRequired: true },
            },
          },
        ],
        environmentVariables: [readOnly()],
      },
      {
        registryType: 'mcpb',
        identifier: `${home}/releases/download/v${version}/${bundle.name}`,
        version,
        fileSha256: bundle.sha256,
        transport: { type: 'stdio' },
      },
    ],
  };
}

/** Where the release puts the image of the Dockerfile. */
export function imageOf(manifest) {
  return homeOf(manifest).replace('https://github.com', 'ghcr.io');
}

function directories() {
  return {
    type: 'positional',
    valueHint: 'directory',
    description: DIRECTORIES.description,
    format: 'filepath',
    isRequired: true,
    isRepeated: true,
  };
}

function readOnly() {
  return {
    name: READ_ONLY.variable,
    description: READ_ONLY.description,
    format: 'boolean',
    isRequired: false,
    default: 'false',
  };
}
