import type { OperationId } from '../../src/operations/operations.ts';

/** Service settings in memory, without VS Code. */
export class FakeServiceSettings {
  service = {
    hosts: { image: '', audio: '', video: '' },
    insecureHosts: [] as readonly string[],
    authorizationScheme: '',
    modelListPath: '',
    timeoutSeconds: { image: 1, audio: 1, video: 1 },
  };
  readonly listed: Partial<Record<OperationId, readonly string[]>> = {};
  problem: Error | undefined;

  async saveService(address: Omit<FakeServiceSettings['service'], 'timeoutSeconds' | 'insecureHosts'>): Promise<void> {
    if (this.problem) throw this.problem;
    this.service = { ...this.service, ...address };
  }

  async saveInsecureHost(host: string): Promise<void> {
    if (this.problem) throw this.problem;
    this.service = { ...this.service, insecureHosts: [...this.service.insecureHosts, host] };
  }

  declaredFields: unknown;

  async savePreset(preset: string): Promise<void> {
    this.declaredFields = preset === 'none' ? undefined : { preset };
  }

  async saveModels(id: OperationId, names: readonly string[]): Promise<void> {
    this.listed[id] = names;
  }

  ownModels(id: OperationId): readonly string[] {
    return this.listed[id] ?? [];
  }

  models(id: OperationId): readonly string[] {
    return this.ownModels(id);
  }
}
