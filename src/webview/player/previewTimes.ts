// Runs in the Markdown preview of VS Code: a click on a time plays the preview's own player of that recording from there.

function playFrom(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
  // The preview may keep the address as it was written in an attribute of its own.
  const address = link?.dataset.href ?? link?.getAttribute('href') ?? '';
  const [, file, seconds] = /^([^#]*)#t=(\d+(?:\.\d+)?)$/.exec(address) ?? [];
  if (file === undefined) return;
  const path = pathOf(file);
  const player = [...document.querySelectorAll('audio, video')].find(
    (one): one is HTMLMediaElement => one instanceof HTMLMediaElement && pathOf(sourceOf(one)) === path,
  );
  // Without a player, VS Code opens the recording.
  if (!player) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  player.currentTime = Number(seconds);
  player.play().catch(() => undefined);
}

function sourceOf(player: HTMLMediaElement): string {
  return player.getAttribute('src') ?? player.querySelector('source')?.getAttribute('src') ?? '';
}

function pathOf(address: string): string {
  return URL.parse(address, document.baseURI)?.pathname ?? address;
}

// Before the preview itself, which would open the recording in another tab.
document.addEventListener('click', playFrom, true);
