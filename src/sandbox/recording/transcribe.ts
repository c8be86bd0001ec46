import { rm } from 'node:fs/promises';
import { checkRequest } from '../checkRequest.ts';
import { SandboxError } from '../http/SandboxError.ts';
import { sendJson } from '../http/sendJson.ts';
import type { Exchange, SandboxContext } from '../SandboxContext.ts';
import { inspectRecording } from './inspectRecording.ts';
import { receiveRecording, uploadPath } from './receiveRecording.ts';
import { writeTranscript } from './writeTranscript.ts';

/** Returns the handler of transcriptions or translations. The sandbox does not listen, so both answer the same. */
export function transcribe(operation: 'transcribe' | 'translate') {
  return async (exchange: Exchange, { folder, maxBytes, accept }: SandboxContext): Promise<void> => {
    const upload = uploadPath(folder);
    try {
      const { fields, path } = await receiveRecording(exchange, upload, maxBytes.upload);
      const { file } = checkRequest(operation, fields);
      const recording = path === undefined ? undefined : await inspectRecording(path, exchange.signal);
      if (!recording) {
        throw new SandboxError(
          400,
          'Audio file (file) is damaged, or its format is not one that the sandbox supports.',
          {
            param: 'file',
            code: 'invalid_recording',
          },
        );
      }
      accept(operation);
      const transcript = writeTranscript(recording, file);
      sendJson(exchange.response, 200, {
        ...transcript,
        language: operation === 'translate' ? 'english' : transcript.language,
      });
    } finally {
      await rm(upload, { force: true });
    }
  };
}
