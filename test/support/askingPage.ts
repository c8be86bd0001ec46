// A page and the dialogs that its answers ask in, for `importWithEditor`, which gives each module that it loads a
// window of its own.

export { askInDialog } from '../../src/editor/askInDialog.ts';
export { PageHost } from '../../src/editor/PageHost.ts';
export { JobActions } from '../../src/editor/requests/JobActions.ts';
