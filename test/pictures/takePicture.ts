import { join } from 'node:path';
import { Workbench, type WorkbenchOptions } from '../e2e/workbench.ts';
import { root } from '../host/versions.mjs';
import { writeWithPalette } from '../support/ffmpeg.ts';

/** The folder that the window shows, whose name is in its title bar. */
export const project = 'harbour-lights';

/** Opens a window of the pictures' size on a project with a plain name. Paths of `files` are relative to the project. */
export async function openProject(options: WorkbenchOptions = {}): Promise<Workbench> {
  const files = Object.entries({ 'README.md': '# Harbour Lights\n', ...options.files });
  const workbench = await Workbench.start({
    ...options,
    files: Object.fromEntries(files.map(([path, content]) => [`${project}/${path}`, content])),
    userSettings: { 'workbench.tips.enabled': false, 'chat.commandCenter.enabled': false, ...options.userSettings },
    machineSettings: {
      'editor.minimap.enabled': false,
      'editor.fontSize': 15,
      'editor.wordWrap': 'on',
      'remote.autoForwardPorts': false,
      'workbench.colorTheme': 'Light 2026',
      ...options.machineSettings,
    },
  });
  await workbench.page.setViewportSize({ width: 1280, height: 760 });
  await workbench.openFolder(project);
  return workbench;
}

/** Path of a picture in the repository. */
export function picturePath(name: string): string {
  return join(root, 'media', name);
}

/** Writes what the window shows to `media/<path>.png`. */
export async function takePicture(workbench: Workbench, path: string): Promise<void> {
  const png = await workbench.page.screenshot({ animations: 'disabled' });
  writeWithPalette(png, picturePath(`${path}.png`));
}

/** Like {@link takePicture}, without the notifications, which closes open menus. */
export async function takeQuietPicture(workbench: Workbench, path: string): Promise<void> {
  await workbench.runCommand('Notifications: Clear All Notifications');
  await takePicture(workbench, path);
}
