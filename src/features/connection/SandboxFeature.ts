import type * as vscode from 'vscode';
import { type Lazy, lazy } from '../../editor/lazy.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { Sandbox } from '../../sandbox/startSandbox.ts';
import type { Connection } from '../../service/ServiceConnection.ts';

/** The sandbox service on this computer. Loaded and started by the first request. */
export class SandboxFeature implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'timeoutSeconds'>;
  readonly #sandbox: Lazy<Sandbox>;

  /** @param storage folder in which the sandbox keeps its videos across restarts */
  constructor(settings: Pick<Settings, 'timeoutSeconds'>, storage: string) {
    this.#settings = settings;
    this.#sandbox = lazy(async () => (await import('../../sandbox/startSandbox.ts')).startSandbox({ storage }));
  }

  async connect(): Promise<Connection> {
    const { imageBaseUrl, audioBaseUrl, videoBaseUrl, key } = await this.#sandbox();
    const hosts = { image: imageBaseUrl, audio: audioBaseUrl, video: videoBaseUrl };
    return {
      // A stored job may point to an earlier sandbox, whose port may now belong to another program.
      key: (origin) => (Object.values(hosts).some((host) => new URL(host).origin === origin) ? key : undefined),
      configuration: {
        hosts,
        timeoutSeconds: this.#settings.timeoutSeconds,
      },
    };
  }

  dispose(): void {
    this.#sandbox
      .current()
      ?.then((sandbox) => sandbox.stop())
      .catch(() => undefined);
  }
}
