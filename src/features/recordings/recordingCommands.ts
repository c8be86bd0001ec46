import { commandIds } from '../../contributions.ts';
import { addCaptions } from './addCaptions.ts';
import { addSpeakers } from './addSpeakers.ts';
import type { RecordingDependencies, RecordingRuns } from './RecordingRuns.ts';
import { renameSpeakers } from './renameSpeakers.ts';
import { saveSubtitles, updateTimes } from './saveSubtitles.ts';
import { transcribeIntoDocument } from './transcribeIntoDocument.ts';

// What the commands and providers load on first use, together: a chunk of its own for each costs more at every start.

export { captionActions } from './addCaptions.ts';
export { prepareRename, renameAt, speakerLenses } from './renameSpeakers.ts';

type Dependencies = RecordingDependencies & { readonly load: () => Promise<RecordingRuns> };

export const recordingCommands = {
  [commandIds.transcribeIntoDocument]: async (argument: unknown, { load, ...dependencies }: Dependencies) =>
    transcribeIntoDocument(argument, await load(), dependencies),
  [commandIds.renameSpeakers]: renameSpeakers,
  [commandIds.addSpeakers]: addSpeakers,
  [commandIds.saveSubtitles]: saveSubtitles,
  [commandIds.updateTimes]: updateTimes,
  [commandIds.addCaptions]: addCaptions,
};
