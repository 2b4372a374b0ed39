// The host's side in the browser: the extension's AppBridge with a view in a sandboxed frame.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** The policy of hosts for a view that names no origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'none'",
].join('; ');

/** The test provides `callTool`, which calls the real server. */
window.showView = async ({ html, hostContext }) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  document.body.replaceChildren(frame);
  const capabilities = { serverTools: {} };
  const bridge = new AppBridge(null, { name: 'chat', version: '1' }, capabilities, { hostContext });
  bridge.oncalltool = (params) => window.callTool(params);
  bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
  };
  const ready = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html.replace(
    '<head>',
    `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
  );
  await ready;
  window.bridge = bridge;
};
