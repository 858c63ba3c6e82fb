// What `import { defineTool } from '@nova/tools'` (or '@nexus/tools') gives.
export { defineTool } from 'nova:prelude';
// For snippets.
export { tools } from 'nova:prelude';
// For the calls that the compiler puts in.
export { at } from 'nova:prelude';
