// The main job from a fresh clone on: installs, builds, lists the tools and prints how a client is set up.
import { install, node, root } from './setup.mjs';

install();
node('build', ['scripts/build.mjs']);
node('', ['dist/cofferdam.cjs', 'tools']);
const config = {
  mcpServers: {
    cofferdam: { command: 'node', args: [`${root}dist/cofferdam.cjs`, '/path/to/your/project'] },
  },
};
console.log(
  `To use it, give your MCP client this configuration (with your own directory):\n\n${JSON.stringify(config)}\n`,
);
console.log(`or try one call:\n\n  node dist/cofferdam.cjs call list_directory '{"path":"."}' .`);
