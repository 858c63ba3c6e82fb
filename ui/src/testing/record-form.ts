// The form of a contact and of a new one, as the backend describes them.

import type { RecordFormView } from '../ipc';

const text = (title: string) => ({ type: 'string', title });

export const contactForm: RecordFormView = {
  skill: 'crm',
  record_type: 'contact',
  label: 'Contact',
  path: 'CRM/People/Jane Doe.md',
  name: 'Jane Doe',
  schema: {
    type: 'object',
    properties: {
      name: { ...text('Name'), description: 'The person’s whole name.' },
      company: { ...text('Company'), format: 'note', description: 'The company they work for, by name.' },
      email: { ...text('Email'), description: 'Their e-mail address.' },
      phone: text('Phone'),
      stage: { ...text('Stage'), enum: ['lead', 'customer', 'paused'] },
      value: { type: ['string', 'number'], title: 'Value', format: 'decimal', minimum: 0 },
      tags: { type: 'array', title: 'Tags', items: { type: 'string' } },
      next_contact: { ...text('Next contact'), format: 'date', description: 'The day to talk to them next.' },
    },
    required: [],
    additionalProperties: false,
  },
  ui_schema: {},
  values: {
    name: 'Jane Doe',
    company: 'Quillon Labs',
    email: 'jane@quillon.example',
    stage: 'lead',
    value: '1250.50',
    tags: ['design', 'berlin'],
    next_contact: '2026-11-24',
  },
  problems: [],
  broken: null,
  hash: 'abc',
};

export const newContactForm: RecordFormView = {
  ...contactForm,
  path: null,
  name: null,
  schema: { ...(contactForm.schema as object), required: ['name'] },
  values: {},
  hash: null,
};
