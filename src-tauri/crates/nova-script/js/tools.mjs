// The module '@nova/tools' (alias '@nexus/tools').
export { defineTool } from 'nova:prelude';
// For snippets.
export { tools } from 'nova:prelude';
// For the calls that the compiler inserts.
export { at } from 'nova:prelude';
