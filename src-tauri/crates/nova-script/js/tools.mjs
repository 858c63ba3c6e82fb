// What `import { defineTool } from '@nova/tools'` (or '@nexus/tools') gives.
export { defineTool } from 'nova:prelude';
