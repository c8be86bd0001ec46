import type { Generator } from '../Generator.ts';
import { background, image, imported, inRule } from './references.ts';

const configuration = `import Html from 'html-webpack-plugin';
export default {
  mode: 'production',
  entry: './src/main.jsx',
  output: { clean: true, publicPath: '/', assetModuleFilename: '[name].[hash][ext]' },
  module: {
    rules: [
      { test: /\\.jsx$/, loader: 'esbuild-loader', options: { jsx: 'automatic' } },
      { test: /\\.css$/, use: ['style-loader', 'css-loader'] },
      { test: /\\.(png|mp3|mp4)$/, type: 'asset/resource' },
    ],
  },
  plugins: [new Html({ templateContent: '<!doctype html><html><body><div id="app"></div></body></html>' })],
};
`;

export const webpack: Generator = {
  name: 'webpack',
  packages: {
    webpack: '5.112.2',
    'webpack-cli': '7.3.1',
    'esbuild-loader': '4.5.0',
    'css-loader': '7.1.5',
    'style-loader': '4.0.0',
    'html-webpack-plugin': '5.6.8',
    react: '19.3.1',
    'react-dom': '19.3.1',
  },
  sites: {
    'at the root': {
      files: {
        'webpack.config.js': configuration,
        'src/main.jsx':
          "import { createRoot } from 'react-dom/client';\nimport './style.css';\nimport { App } from './App.jsx';\ncreateRoot(document.getElementById('app')).render(<App />);\n",
      },
      pages: [
        {
          path: 'src/App.jsx',
          text: '%HEAD%\nexport function App() {\n  return (\n    <main>\n%HERE%\n    </main>\n  );\n}\n',
          from: ['src/assets'],
          references: [
            imported('./assets/§.png', 'src/assets/§.png'),
            imported('./assets/§.mp3', 'src/assets/§.mp3', '<audio controls src={§} />'),
            image('./§.png', 'src/§.png'),
          ],
        },
        {
          path: 'src/style.css',
          text: '%HERE%\n',
          inserts: ['images'],
          from: ['src/assets'],
          around: inRule,
          references: [background('./assets/§.png', 'src/assets/§.png')],
        },
      ],
      build: [['webpack', 'build']],
      output: 'dist',
      rendered: ['index.html'],
    },
  },
};
