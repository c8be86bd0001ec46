import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { showError } from '../../editor/showError.ts';
import type { ServiceSetup, ServiceSetupOptions } from '../../service/ServiceSetup.ts';

/** The steps of connecting a service, for a view that asks the questions itself. */
export interface Connecting extends vscode.Disposable {
  steps(): Promise<ServiceSetup>;
}

/** Registers the command that connects a service. What it needs loads with its first use. */
export function registerConnect(options: ServiceSetupOptions): Connecting {
  const steps = async () => {
    const { ServiceSetup } = await import('../../service/ServiceSetup.ts');
    return new ServiceSetup(options);
  };
  const command = vscode.commands.registerCommand(commandIds.connectService, async () => {
    const { connectService } = await import('./ConnectWizard.ts');
    // The command ends with the questions; the notification of a failure may stay open.
    await connectService(await steps()).catch((error: unknown) => void showError(error));
  });
  return { steps, dispose: () => command.dispose() };
}
