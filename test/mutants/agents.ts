import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of what agents may do and spend. */
export const agentMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/agents/AgentLedger.ts',
    ['agents/AgentJournal'],
    [
      [
        'a booking beyond the budget counts',
        'const isWithin = line.approved === true || !counts || fits(line.limit, this.#spent, line.amounts);',
        'const isWithin = true;',
      ],
      ['what was not paid for is not given back', "if (end === 'refused' && counts)", 'if (false)'],
      ['a line that was appended twice counts twice', "if (known?.outcome === 'booked') return;", ''],
      [
        'an unknown outcome joins nothing',
        "if (booking.end === 'unknown') return now",
        "if (booking.end === 'unknown') return false && now",
      ],
    ],
  ),
  ...mutantsOf(
    'src/agents/AgentJournal.ts',
    ['agents/AgentJournal'],
    [['yesterday counts', 'ledger.add(line, false);', 'ledger.add(line);']],
  ),
  ...mutantsOf(
    'src/agents/AgentDesk.ts',
    ['agents/AgentDesk'],
    [
      ['a refusal counts as paid', "if (error?.charged === 'no') return 'refused';", ''],
      ['the same request is asked for twice', '          call.isCommitted = true;\n', ''],
      ['the sandbox is booked', 'amounts: call.call.sandbox ?', 'amounts: false ?'],
      ['the answer of the person does not matter', "if (answer === 'yes') return undefined;", 'return undefined;'],
    ],
  ),
  ...mutantsOf(
    'src/agents/AgentPaths.ts',
    ['agents/AgentDesk'],
    [
      ['files in .git are sent', "segment.toLowerCase() === '.git'", "segment === ''"],
      [
        'a link leads results out of the workspace',
        "if (isOutside(inside) || inside.split(sep).some((segment) => segment.startsWith('.'))) throw hidden(value);",
        '',
      ],
      ['anything is opened', 'if (!facts.isFile())', 'if (false)'],
    ],
  ),
  ...mutantsOf(
    'src/agents/prepareCall.ts',
    ['agents/AgentDesk'],
    [['a private address is sent to the service', 'if (!isPrivate) return value;', 'return value;']],
  ),
  ...mutantsOf(
    'src/agents/describeJob.ts',
    ['agents/AgentDesk'],
    [['the text of a recording is not marked', 'return `[untrusted text', 'return `[text']],
  ),
  ...mutantsOf(
    'src/agents/mcp/AgentServer.ts',
    ['agents/AgentServer'],
    [
      ['any host name is let in', 'if (!own.includes(host)) return refuse(403);', ''],
      ['web pages are let in', 'if (origin !== undefined &&', 'if (false &&'],
      ['other methods are let in', "if (request.method !== 'POST')", 'if (false)'],
      ['calls have no limit', 'if (isCall && this.#calls >= maxCalls)', 'if (false)'],
      ['a body has no limit', 'if (length > maxBodyBytes) return undefined;', ''],
      ['the network is let in', "'127.0.0.1');\n      await once", "'0.0.0.0');\n      await once"],
    ],
  ),
  ...mutantsOf(
    'src/agents/mcp/createServer.ts',
    ['agents/AgentServer'],
    [
      ['paid tools look free', "readOnlyHint: operation === undefined && id !== 'cancelJob'", 'readOnlyHint: true'],
      ['a failure looks like a result', 'isError: isFailure(result)', 'isError: false'],
    ],
  ),
  ...mutantsOf(
    'src/agents/mcp/discovery.ts',
    ['agents/AgentServer'],
    [['others may read the token', 'mode: 0o600, flag', 'flag']],
  ),
  ...mutantsOf(
    'src/agents/mcp/bridgeStdio.ts',
    ['agents/AgentServer'],
    [['the version is not passed on', "'mcp-protocol-version': own,", '']],
  ),
  ...mutantsOf(
    'src/agents/readInput.ts',
    ['agents/tools'],
    [['unknown fields are taken', 'if (unknown !== undefined) {', 'if (false) {']],
  ),
  ...mutantsOf(
    'src/agents/previewOf.ts',
    ['agents/previewOf'],
    [['a small picture may be large', 'if (made.bytes.length <= maxBytes)', 'if (true)']],
  ),
];
