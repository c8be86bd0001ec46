import { HostRequests, vscode } from '../HostRequests.ts';
import type { ImageBodyOf, ImageReplyOf, ImageRequestName } from '../protocol/imageEditor.ts';
import { imageRequests } from '../protocol/imageEditor.ts';
import { reply } from '../protocol/requests.ts';
import type { EditState } from './editState.ts';
import { isEditState } from './editState.ts';

const hostRequests = new HostRequests(imageRequests);

window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (reply(data)) hostRequests.settle(data);
});

/** Posts a request to the extension host. @throws Error with a sentence for the user when the host reports a failure */
export function request<Name extends ImageRequestName>(
  name: Name,
  body: ImageBodyOf<Name>,
): Promise<ImageReplyOf<Name>> {
  return hostRequests.request(name, body);
}

/** Returns the choices made before the tab was hidden; VS Code creates the page again each time it is shown. */
export function keptState(): EditState | undefined {
  const state = vscode.getState();
  return isEditState(state) ? state : undefined;
}

export function keepState(state: EditState): void {
  vscode.setState(state);
}
