import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { ServiceSetup, ServiceSetupOptions } from '../../editor/ServiceSetup.ts';
import { showError } from '../../editor/showError.ts';

/** The steps of connecting a service, for a view that asks the questions itself. */
export interface Connecting extends vscode.Disposable {
  steps(): Promise<ServiceSetup>;
}

/** The command that connects a service; what it needs is loaded with its first use. */
export function registerConnect(options: ServiceSetupOptions): Connecting {
  const steps = async () => {
    const { ServiceSetup } = await import('../../editor/ServiceSetup.ts');
    return new ServiceSetup(options);
  };
  const command = vscode.commands.registerCommand(commandIds.connectService, async () => {
    const { connectService } = await import('./connectService.ts');
    // The command is over when the questions are; a failure stays as long as the person likes.
    await connectService(await steps()).catch((error: unknown) => void showError(error));
  });
  return { steps, dispose: () => command.dispose() };
}
