import * as vscode from 'vscode';
import { commandOf, viewIds } from '../../contributions.ts';
import type { Connected } from '../../editor/describeConnection.ts';
import { describeConnection } from '../../editor/describeConnection.ts';
import type { ServiceSetup } from '../../editor/ServiceSetup.ts';
import { ConnectWizard } from './ConnectWizard.ts';

/** Asks for a service, then reports what is set up and offers to use it. */
export async function connectService(setup: ServiceSetup): Promise<void> {
  const connected = await new ConnectWizard(setup).run();
  // The command ends here; the notification may stay open.
  if (connected) void offerToUse(setup, connected);
}

async function offerToUse(setup: ServiceSetup, connected: Connected): Promise<void> {
  const generate = vscode.l10n.t('Generate an Image…');
  const open = vscode.l10n.t('Open the Media View');
  const offers = setup.operations.includes('generateImage') ? [generate, open] : [open];
  const chosen = await vscode.window.showInformationMessage(describeConnection(setup, connected), ...offers);
  if (chosen === generate) await vscode.commands.executeCommand(commandOf('generateImage'));
  if (chosen === open) await vscode.commands.executeCommand(`${viewIds.create}.focus`);
}
