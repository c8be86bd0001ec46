// What is used of undici. The extension and the command line share the file that esbuild.mjs makes of this one.
export { Agent, buildConnector, Client, Dispatcher, errors, Pool, ProxyAgent, request } from 'undici';
