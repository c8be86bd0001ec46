import { parseFile } from 'music-metadata';
import { previewOf } from './agents/previewOf.ts';
import type { AgentParts } from './features/agents/AgentDependencies.ts';
import { isPrivateAddress } from './service/privateAddress.ts';

/** Functions of other folders that the agent tools need; loaded on first use. */
export const agentParts: AgentParts = {
  isPrivateAddress,
  previewOf,
  secondsOf: async (path) => {
    const { format } = await parseFile(path, { duration: true, skipCovers: true }).catch(() => ({ format: undefined }));
    return format?.duration;
  },
};
