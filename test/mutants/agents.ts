import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of what agents may do and spend. */
export const agentMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/agents/AgentBudget.ts',
    ['agents/AgentBudget'],
    [
      [
        'a booking beyond the budget is accepted',
        'const isWithin = line.approved === true || fits(line.limit, this.spent, line.amounts);',
        'const isWithin = true;',
      ],
      ['a refused request is not refunded', "if (end === 'refused')", 'if (false)'],
      ['a duplicated line counts twice', "if (this.bookings.get(line.id)?.outcome === 'booked') return;", ''],
      ['what was spent yesterday counts today', '    account.spent = noAmounts;\n', ''],
      ['the second of two same calls is sent, too', '(one) => one.key === key && one.isOpen', '() => false'],
      [
        'a call that has just ended is made again',
        "if (line.event === 'ended' || ids.has(line.id)) continue;",
        "ids.delete(line.id);\n    if (line.event === 'ended') continue;",
      ],
      ['a call of a killed process counts as running', '!(await hasEnded(mark))', 'true'],
      ['amounts that are no numbers are written', '    checkAmounts(booking.amounts);\n', ''],
      ['a request_id stands for two requests', "if (named && named.key !== key) return { kind: 'mismatch' };", ''],
    ],
  ),
  ...mutantsOf(
    'src/operations/amounts.ts',
    ['operations/amounts'],
    [
      ['a paid request counts as nothing', 'if (!(count > 0)) throw notCountable(name, count);', ''],
      ['sums drift', 'return Math.round(value * 100) / 100;', 'return value;'],
    ],
  ),
  ...mutantsOf(
    'src/agents/AgentDesk.ts',
    ['agents/AgentDesk'],
    [
      ['a refused request counts as paid', "if (error?.charged === 'no') return 'refused';", ''],
      ['an identical request is sent twice', '          call.isCommitted = true;\n', ''],
      ['the sandbox is charged to the budget', 'amounts: call.call.sandbox ?', 'amounts: false ?'],
      ['a job that another program took over is not followed', 'other && other !== call', 'other'],
      ['the store is not asked before sending', 'if (earlier) return earlier;', ''],
      [
        'what another program has sent is booked',
        "if (other && !isOwn && describeWork(other)) await this.#ended(call.id, 'refused');",
        '',
      ],
      ['a file that was changed during the question is sent', '          agreed: call.call.sends,\n', ''],
      [
        'an address within the budget is sent unasked',
        'if (call.call.addresses.length === 0 && call.isShown) return undefined;',
        'return undefined;',
      ],
      [
        'what chat has not shown is sent unasked',
        'call.isShown = caller.kind !== ',
        'call.isShown = true || caller.kind !== ',
      ],
      ['a declined address stays booked', "if (isRefused) await this.#ended(call.id, 'refused');", ''],
      ["the person's answer is ignored", "if (answer === 'yes') {", 'if (answer) {'],
      ['a name of a private address is sent', '      await checkAddresses(call.call.addresses, this.#host);\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/agents/prepareCall.ts',
    ['agents/AgentDesk'],
    [
      ['the parts of a long text are one request', 'requestsFor(request, host.speechMaxCharacters())', '1'],
      ['files in .git are sent', '!inside.split(sep).some(isOfGit)', 'true'],
      ['an agent may name a transcript AGENTS', 'if (transcriptName(name) === name) return;', 'return;'],
      [
        'results follow a link out of the workspace',
        "if (isOutside(inside) || inside.split(sep).some((segment) => segment.startsWith('.'))) throw hidden(value);",
        '',
      ],
      ['a folder of a name that Windows reserves is made', 'path.every(isFileName) ?', 'true ?'],
      ['a file counts as a folder', '(await stat(real)).isDirectory() ? real : undefined', 'real'],
      ['files that are not regular are opened', 'if (!facts.isFile())', 'if (false)'],
    ],
  ),
  ...mutantsOf(
    'src/agents/prepareCall.ts',
    ['agents/AgentDesk'],
    [
      ['a private address is sent to the service', 'if (!address || isPrivate)', 'if (!address)'],
      [
        'an edit of changed content joins that of the earlier one',
        '      request,\n      sends,\n',
        '      request,\n',
      ],
    ],
  ),
  ...mutantsOf(
    'src/agents/ToolResult.ts',
    ['agents/AgentDesk'],
    [
      ['the text of a recording is not marked as untrusted', 'return `[untrusted text', 'return `[text'],
      [
        'a request that may be billed is reported as failed again',
        "if (state === 'unknown') return",
        'if (false) return',
      ],
    ],
  ),
  ...mutantsOf(
    'src/agents/mcp/clientFile.ts',
    ['agents/clientFile'],
    [
      ['a link is followed', 'if (facts.isSymbolicLink()) throw', 'if (false) throw'],
      ['a file that has changed is replaced', '!== before) throw changed();', '=== "") throw changed();'],
      ['a comment goes with our table', 'kept.push(...gap.splice(0));', 'gap.splice(0);'],
    ],
  ),
  ...mutantsOf(
    'src/agents/mcp/discovery.ts',
    ['agents/AgentServer'],
    [['a token works at every port', 'JSON.stringify([number, salt, client])', 'JSON.stringify([client])']],
  ),
  ...mutantsOf(
    'src/agents/mcp/AgentServer.ts',
    ['agents/AgentServer'],
    [
      ['any Host header is accepted', 'if (!own.includes(host)) return refuse(403);', ''],
      ['requests of web pages are accepted', 'if (origin !== undefined &&', 'if (false &&'],
      ['methods other than POST are accepted', "if (request.method !== 'POST')", 'if (false)'],
      ['the number of concurrent calls is unlimited', 'if (this.#taken.size < maxCalls) {', 'if (true) {'],
      ['a batch is served', 'if (!isObject(message)) {', "if (typeof message !== 'object' || message === null) {"],
      [
        'one client holds all calls',
        'this.#countOf(client) + 2) return undefined;',
        'this.#countOf(client) - 99) return undefined;',
      ],
      ['a slow body has no end', 'const limits = { requestTimeout,', 'const limits = { requestTimeout: 0,'],
      ['the body size is unlimited', 'if (length > maxBodyBytes) return undefined;', ''],
      ['the server listens on all interfaces', "'127.0.0.1');\n      await once", "'0.0.0.0');\n      await once"],
    ],
  ),
  ...mutantsOf(
    'src/agents/mcp/AgentServer.ts',
    ['agents/AgentServer'],
    [
      ['paid tools are marked as read-only', "readOnlyHint: free?.effect === 'reads'", 'readOnlyHint: true'],
      ['a failure is not marked as an error', 'isError: isFailure(result)', 'isError: false'],
    ],
  ),
  ...mutantsOf(
    'src/agents/mcp/discovery.ts',
    ['agents/AgentServer'],
    [
      ['others can read the token', ', { mode: 0o600 });', ');'],
      ['a token is valid at every port', 'JSON.stringify([number, salt, client])', 'JSON.stringify([salt, client])'],
      [
        'a token is valid at a port that was given up',
        'JSON.stringify([number, salt, client])',
        'JSON.stringify([number, client])',
      ],
    ],
  ),
  ...mutantsOf(
    'src/agents/mcp/runMcp.ts',
    ['agents/AgentServer'],
    [['the protocol version is not forwarded', "'mcp-protocol-version': own,", '']],
  ),
  ...mutantsOf(
    'src/agents/toolInput.ts',
    ['agents/tools'],
    [
      ['unknown fields are accepted', 'if (unknown !== undefined) {', 'if (false) {'],
      ['names with invisible characters are accepted', '!isPlainLine(value)', 'false'],
    ],
  ),
  ...mutantsOf(
    'src/agents/ToolResult.ts',
    ['agents/previewOf'],
    [['a preview is made of any picture', ', { maxPixels: maxPreviewPixels }', '']],
  ),
];
