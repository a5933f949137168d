-- AlterEnum
ALTER TYPE "actor_type" ADD VALUE 'visitor';
