export { labelOf } from './schema';
export { SchemaForm } from './SchemaForm';
export { useSchemaForm, type SchemaFormState } from './useSchemaForm';
export { argsOf, draftOf, type Problem } from './plan';
export type { Suggest, Suggestion } from './Suggestions';
