// Writes the table of tools into package.json: node src/agents/writeManifest.mjs && npm run format
import { readFileSync, writeFileSync } from 'node:fs';
import { agentTools } from './tools.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
manifest.contributes.languageModelTools = agentTools.map((tool) => ({
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
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
