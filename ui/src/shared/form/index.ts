export { labelOf } from './schema';
export { SchemaForm } from './SchemaForm';
export { useSchemaForm, type SchemaFormState } from './useSchemaForm';
export { argsOf, draftOf } from './plan';
