import * as vscode from 'vscode';

interface Target {
  readonly url: string;
  readonly token: string;
}

/** How to configure one agent for the server. */
interface ClientForm {
  /** Also the name that the person sees when the agent asks for something. */
  readonly name: string;
  /** Language id of the text. */
  readonly language: string;
  describe(): string;
  text(target: Target): string;
}

const serverName = 'unified-media';

/** The agents with a configuration format of their own; the last entry serves all others. */
export const clientForms: readonly ClientForm[] = [
  {
    name: 'Claude Code',
    language: 'shellscript',
    describe: () => vscode.l10n.t('A command to run in a terminal, in the folder of this window'),
    text: ({ url, token }) =>
      `claude mcp add --transport http ${serverName} ${url} --header "Authorization: Bearer ${token}"`,
  },
  {
    name: 'Codex',
    language: 'toml',
    describe: () => vscode.l10n.t('Lines for ~/.codex/config.toml, and an environment variable for the token'),
    text: ({ url, token }) =>
      [
        `[mcp_servers.${serverName}]`,
        `url = "${url}"`,
        'bearer_token_env_var = "UNIFIED_MEDIA_MCP_TOKEN"',
        'tool_timeout_sec = 60',
        '',
        '# In the shell that starts Codex; terminals of this window have a token already:',
        `# export UNIFIED_MEDIA_MCP_TOKEN=${token}`,
        '',
      ].join('\n'),
  },
  {
    name: 'Cline',
    language: 'json',
    describe: inSettings,
    text: (target) => json({ ...http(target), type: 'streamableHttp' }),
  },
  {
    name: 'Roo Code',
    language: 'json',
    describe: inSettings,
    text: (target) => json({ ...http(target), type: 'streamable-http' }),
  },
  {
    name: 'MCP',
    language: 'json',
    describe: () => vscode.l10n.t('mcp.json for any other agent'),
    text: (target) => json({ ...http(target), type: 'http' }),
  },
];

function inSettings(): string {
  return vscode.l10n.t('An entry for the agent’s own list of MCP servers');
}

function http({ url, token }: Target) {
  return { url, headers: { Authorization: `Bearer ${token}` }, timeout: 60 };
}

function json(server: object): string {
  return `${JSON.stringify({ mcpServers: { [serverName]: server } }, undefined, 2)}\n`;
}
