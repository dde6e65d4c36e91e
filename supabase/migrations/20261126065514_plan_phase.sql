-- Why: a job can wait for a person who approves its plan. A value must be committed before the next migration uses it.
alter type public.job_phase add value 'plan';
