// Writes the table of tools into package.json: node src/agents/writeManifest.mjs && npm run format
import { readFileSync, writeFileSync } from 'node:fs';
import { applyEdits, modify } from 'jsonc-parser';
import { agentTools } from './tools.ts';

const manifest = readFileSync('package.json', 'utf8');
const tools = agentTools.map((tool) => ({
  name: tool.name,
  toolReferenceName: tool.referenceName,
  displayName: `%tool.${tool.id}%`,
  userDescription: `%tool.${tool.id}.description%`,
  modelDescription: tool.description,
  icon: '$(device-camera)',
  canBeReferencedInPrompt: true,
  tags: ['unified-media'],
  when: 'config.unifiedMedia.agents.enabled && isWorkspaceTrusted',
  inputSchema: tool.inputSchema,
}));
const formattingOptions = { insertSpaces: true, tabSize: 2 };
// The rest of the file keeps its layout.
writeFileSync(
  'package.json',
  applyEdits(manifest, modify(manifest, ['contributes', 'languageModelTools'], tools, { formattingOptions })),
);
