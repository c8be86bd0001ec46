import type { Reference } from '../Generator.ts';

// Usual references, by address and by the path of their file; see `Reference`.

export function picture(address: string, file: string): Reference {
  return { text: `![A red fox](${address})`, file };
}

export function image(address: string, file: string): Reference {
  return { text: `<img src="${address}" alt="A red fox" />`, file };
}

export function sound(address: string, file: string): Reference {
  return { text: `<audio controls src="${address}" title="A talk"></audio>`, file };
}

export function soundSource(address: string, file: string): Reference {
  return { text: `<audio controls title="A talk"><source src="${address}" type="audio/mpeg" /></audio>`, file };
}

export function video(address: string, file: string): Reference {
  return { text: `<video controls src="${address}" title="A film"></video>`, file };
}

/** A picture that a script imports. */
export function imported(address: string, file: string, tag = '<img src={§} alt="A red fox" />'): Reference {
  return { head: `import § from '${address}';`, text: tag, file };
}

export function background(address: string, file: string): Reference {
  return { text: `.§ { background: url(${address}); }`, file };
}

/** Puts the address that is inserted into a style sheet into a rule. */
export function inRule(reference: string, name: string): string {
  return reference.startsWith('.') ? reference : `.${name} { background: ${reference}; }`;
}

/** A workspace folder with the site in a subfolder, as in a monorepo. */
export const monorepo = {
  folder: 'packages/docs',
  around: {
    'package.json': '{ "name": "monorepo", "private": true }',
    'README.md': '# A monorepo\n',
  },
} as const;
