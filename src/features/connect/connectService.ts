import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions.ts';
import type { ServiceSetup } from '../../editor/ServiceSetup.ts';
import type { Connected } from './ConnectWizard.ts';
import { ConnectWizard } from './ConnectWizard.ts';

/** Asks for a service, and then says what is set up and offers to use it. */
export async function connectService(setup: ServiceSetup): Promise<void> {
  const connected = await new ConnectWizard(setup).run();
  // The command is over; the notification may stay as long as the person likes.
  if (connected) void offerToUse(setup, connected);
}

async function offerToUse(setup: ServiceSetup, connected: Connected): Promise<void> {
  const generate = vscode.l10n.t('Generate an Image…');
  const open = vscode.l10n.t('Open the Media View');
  const offers = setup.operations.includes('generateImage') ? [generate, open] : [open];
  const chosen = await vscode.window.showInformationMessage(summaryOf(setup, connected), ...offers);
  if (chosen === generate) await vscode.commands.executeCommand(commandIds.generateImage);
  if (chosen === open) await vscode.commands.executeCommand(`${viewIds.create}.focus`);
}

function summaryOf(setup: ServiceSetup, { saved, isTried }: Connected): string {
  const chosen = setup.operations.filter((id) => setup.models(id).chosen.length > 0).length;
  const found = setup.listedModels;
  return [
    vscode.l10n.t('Media now come from {0}.', saved.origins.join(', ')),
    saved.keyIsStored
      ? vscode.l10n.t('Its key is set.')
      : vscode.l10n.t('The editor cannot keep secrets here: the key lasts until this window is closed.'),
    describeTrial(isTried, found),
    chosen > 0 ? vscode.l10n.t('Models are chosen for {0} of {1} operations.', chosen, setup.operations.length) : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function describeTrial(isTried: boolean, found: number): string {
  if (!isTried) return vscode.l10n.t('It was not tried: the first result will show whether it works.');
  return found > 0
    ? vscode.l10n.t('Models in its list: {0}.', found)
    : vscode.l10n.t('It answers, but lists no models: the first result will show whether it takes the key.');
}
