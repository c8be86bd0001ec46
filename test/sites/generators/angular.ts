import type { Generator, Page, Site } from '../Generator.ts';
import { background, image, inRule, monorepo, sound } from './references.ts';

function pages(base: string): readonly Page[] {
  return [
    {
      path: 'src/app/app.html',
      text: '<main>\n%HERE%\n</main>\n',
      from: ['public'],
      references: [
        image('§.png', 'public/§.png'),
        image('/§.png', 'public/§.png'),
        image('images/§.png', 'public/images/§.png'),
        sound('§.mp3', 'public/§.mp3'),
        ...(base === '/' ? [] : [image(`${base}§.png`, 'public/§.png')]),
      ],
    },
    {
      path: 'src/styles.css',
      text: '%HERE%\n',
      inserts: ['images'],
      around: inRule,
      references: [background('./images/§.png', 'src/images/§.png')],
    },
  ];
}

function site(base = '/', more: Partial<Site> = {}): Site {
  const options = {
    browser: 'src/main.ts',
    index: 'src/index.html',
    tsConfig: 'tsconfig.json',
    assets: [{ glob: '**/*', input: 'public' }],
    styles: ['src/styles.css'],
    baseHref: base,
    optimization: false,
    progress: false,
  };
  const build = { builder: '@angular/build:application', options };
  return {
    files: {
      'angular.json': JSON.stringify({
        version: 1,
        cli: { analytics: false },
        projects: { site: { projectType: 'application', root: '', sourceRoot: 'src', architect: { build } } },
      }),
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "target": "es2022", "module": "preserve", "moduleResolution": "bundler", "experimentalDecorators": true }, "files": ["src/main.ts"] }\n',
      'src/index.html':
        '<!doctype html><html><head><title>Site</title><base href="/"></head><body><app-root></app-root></body></html>\n',
      'src/main.ts':
        "import { provideZonelessChangeDetection } from '@angular/core';\nimport { bootstrapApplication } from '@angular/platform-browser';\nimport { App } from './app/app';\nbootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });\n",
      'src/app/app.ts':
        "import { Component } from '@angular/core';\n\n@Component({ selector: 'app-root', templateUrl: './app.html' })\nexport class App {}\n",
    },
    pages: pages(base),
    build: [['ng', 'build']],
    output: 'dist/site/browser',
    base,
    rendered: ['index.html'],
    ...more,
  };
}

export const angular: Generator = {
  name: 'angular',
  packages: {
    '@angular/build': '22.2.7',
    '@angular/cli': '22.2.7',
    '@angular/common': '22.2.6',
    '@angular/compiler': '22.2.6',
    '@angular/compiler-cli': '22.2.6',
    '@angular/core': '22.2.6',
    '@angular/platform-browser': '22.2.6',
    rxjs: '7.8.2',
    tslib: '2.8.1',
    typescript: '6.0.3',
  },
  sites: { 'at the root': site(), 'base path, in a monorepo': site('/app/', monorepo) },
};
