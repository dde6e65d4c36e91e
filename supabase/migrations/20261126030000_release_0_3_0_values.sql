-- Why: new values of types must be committed before release_0_3_0 can name them.
alter type public.done_requires add value if not exists 'ci' before 'person';
alter type public.member_role add value if not exists 'VIEWER' after 'MEMBER';
alter type public.story_status add value if not exists 'TRIAGE' after 'FAILED';
alter type public.story_status add value if not exists 'TEMPLATE' after 'TRIAGE';
