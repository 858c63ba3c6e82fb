// The panels of the sample skills, and their tools' output.

import type { Params, Result } from '../ipc';
import { budgetAnswer, budgetPanel } from './sample/budget-panel';
import { calendarAnswer, calendarPanel } from './sample/calendar-panel';
import { crmAnswer, crmPanel } from './sample/crm-panel';
import { mailAnswer, mailPanel } from './sample/mail-panel';
import { portfolioAnswer, portfolioPanel } from './sample/portfolio-panel';
import { screenerAnswer, screenerPanel } from './sample/screener-panel';
import { symbolAnswer, symbolPanel } from './sample/symbol-panel';

export { budgetPanel, crmPanel, portfolioPanel };

export const samplePanels = [crmPanel, portfolioPanel, budgetPanel, calendarPanel, mailPanel, symbolPanel, screenerPanel];

/** The output of the sample skills' tools; nothing for other tools. */
export const sampleAnswer = (call: Params<'call_tool'>): Result<'call_tool'> | null =>
  crmAnswer(call) ?? portfolioAnswer(call) ?? budgetAnswer(call) ?? calendarAnswer(call) ?? mailAnswer(call) ?? symbolAnswer(call) ?? screenerAnswer(call);
