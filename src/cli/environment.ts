import * as l10n from '@vscode/l10n';
import { normalizeKey } from '../editor/ApiKeys.ts';
import type { Connection } from '../editor/ServiceConnection.ts';
import { settingDefaults } from '../editor/settingDefaults.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Area } from '../operations/operations.ts';
import { areas } from '../operations/operations.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const prefix = 'UNIFIED_MEDIA_';

/** Returns the service that the environment variables name. The key is sent only to its hosts. */
export function serviceIn(environment: Environment): Connection {
  const value = (name: string) => environment[prefix + name]?.trim() ?? '';
  const hosts = { image: value('IMAGE_BASE_URL'), audio: value('AUDIO_BASE_URL'), video: value('VIDEO_BASE_URL') };
  const origins = areas.map((area) => (URL.canParse(hosts[area]) ? new URL(hosts[area]).origin : undefined));
  const key = normalizeKey(value('API_KEY'));
  return {
    configuration: {
      hosts,
      paths: { transcribe: value('TRANSCRIPTION_PATH'), translate: value('TRANSLATION_PATH') },
      videoStatusPath: value('VIDEO_STATUS_PATH'),
      authorizationScheme: value('AUTHORIZATION_SCHEME'),
      timeoutSeconds: settingDefaults.timeoutSeconds,
    },
    key: (origin) => (origins.includes(origin) && key !== '' ? key : undefined),
  };
}

/** Returns an error about a missing key or host with the name of the variable to set. */
export function withVariable(error: unknown, area: Area): unknown {
  if (!(error instanceof MediaError)) return error;
  const name = { noKey: 'API_KEY', noService: `${area.toUpperCase()}_BASE_URL` }[String(error.kind)];
  if (name === undefined) return error;
  const sentence = l10n.t('{0} Set {1}, or use --sandbox.', error.message, prefix + name);
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}
