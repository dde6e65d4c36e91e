-- Why: new values of types must be committed before release_0_3_0 can name them.
alter type public.done_requires add value 'ci' before 'person';
alter type public.member_role add value 'VIEWER' after 'MEMBER';
alter type public.story_status add value 'TRIAGE' after 'FAILED';
alter type public.story_status add value 'TEMPLATE' after 'TRIAGE';
