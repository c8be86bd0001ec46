import assert from 'node:assert/strict';
import { isOnThisComputer } from '../../../src/agents/mcp/runMcp.ts';

// Only the decision: a test must not connect to other computers, and the mistake would.
describe('isOnThisComputer (promise 27)', () => {
  for (const url of [
    'http://127.0.0.1:9/mcp',
    'http://localhost:9/mcp',
    'http://LOCALHOST/mcp',
    'http://[::1]:9/mcp',
  ]) {
    it(`accepts ${url}`, () => assert.equal(isOnThisComputer(url), true));
  }

  const others = [
    ...['http://127.0.0.2:9/mcp', 'http://0.0.0.0:9/mcp', 'http://10.0.0.1:9/mcp', 'http://media.example/mcp'],
    ...[
      'http://127.0.0.1.media.example/mcp',
      'http://localhost.media.example/mcp',
      'http://127.0.0.1@media.example/mcp',
    ],
    ...['http://media.example/127.0.0.1', 'http://media.example#@127.0.0.1/', 'http://media.example\\@127.0.0.1/'],
    ...['http://[::ffff:127.0.0.1]/mcp', 'http://[fe80::1]/mcp', 'https://127.0.0.1:9/mcp', 'file://localhost/mcp'],
    ...['127.0.0.1:9', 'localhost', ''],
  ];
  for (const url of others) it(`refuses “${url}”`, () => assert.equal(isOnThisComputer(url), false));
});
