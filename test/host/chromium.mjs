// Plain JavaScript: install.mjs reads it before node_modules exists.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Finds the Chromium, Chrome or Edge to use: CHROMIUM_PATH if set, or the first well-known path that exists.
 *
 * @returns {string | undefined}
 */
export function findChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH names ${chosen}, which does not exist.`);
    return chosen;
  }
  return wellKnownPaths().find((path) => existsSync(path));
}

/** @returns {string[]} */
function wellKnownPaths() {
  switch (process.platform) {
    case 'darwin':
      return [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
        '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
      ];
    case 'win32': {
      const { PROGRAMFILES, LOCALAPPDATA, 'PROGRAMFILES(X86)': programFiles32 } = process.env;
      return [PROGRAMFILES, programFiles32, LOCALAPPDATA]
        .filter((folder) => folder !== undefined)
        .flatMap((folder) => [
          join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
          join(folder, 'Chromium', 'Application', 'chrome.exe'),
          join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
        ]);
    }
    default:
      // Not Ubuntu's /usr/bin/chromium-browser, because it starts a snap, which cannot access /tmp.
      return [
        // Draws no window that nobody sees: a fourteenth less processor time, and a smaller package.
        '/usr/bin/chromium-headless-shell',
        '/usr/bin/chromium',
        '/usr/bin/google-chrome',
        '/usr/bin/google-chrome-stable',
        '/opt/google/chrome/chrome',
        '/usr/lib64/chromium-browser/chromium-browser',
        '/usr/bin/microsoft-edge',
      ];
  }
}

/** Whether apt-get can install Chromium. Debian's package is a real browser; Ubuntu's is a stub for a snap. */
export function canInstallPackages() {
  return process.platform === 'linux' && linuxDistribution() === 'debian' && process.getuid?.() === 0;
}

/**
 * Returns the command that installs a browser on this system.
 *
 * @returns {string}
 */
export function chromiumInstallCommand() {
  if (process.platform === 'darwin') return 'brew install --cask google-chrome';
  if (process.platform === 'win32') return 'winget install Google.Chrome';
  switch (linuxDistribution()) {
    case 'debian':
      return 'sudo apt-get install chromium-headless-shell fonts-liberation';
    case 'ubuntu':
      return 'curl -LO https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb && sudo apt-get install ./google-chrome-stable_current_amd64.deb';
    case 'fedora':
      return 'sudo dnf install chromium';
    default:
      return "your system's package manager, package chromium or google-chrome";
  }
}

/** @returns {'debian' | 'ubuntu' | 'fedora' | 'other'} */
function linuxDistribution() {
  if (!existsSync('/etc/os-release')) return 'other';
  const names = /^ID(?:_LIKE)?=.*/gm;
  const text = (readFileSync('/etc/os-release', 'utf8').match(names) ?? []).join(' ');
  if (/ubuntu/.test(text)) return 'ubuntu';
  if (/debian/.test(text)) return 'debian';
  return /fedora|rhel/.test(text) ? 'fedora' : 'other';
}
