import type { Workbench } from './workbench.ts';

/** Sets the key as a person does, for the service that the settings name. */
export async function setApiKey(window: Workbench, key = 'key-1'): Promise<void> {
  await window.runCommand('Media: Set API Key…');
  await window.answerInput('Paste the key', key);
  await window.notification('The API key is set.');
}
