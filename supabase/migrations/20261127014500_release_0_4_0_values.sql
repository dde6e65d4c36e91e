-- Why: new values of types must be committed before release_0_4_0 can name them.
alter type public.job_phase add value if not exists 'plan';
